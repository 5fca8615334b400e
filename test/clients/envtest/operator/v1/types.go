// Package v1 is the older version of Garden, whose size is a string.
package v1

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	v2 "trireme/test/clients/envtest/operator/v2"
)

var GroupVersion = schema.GroupVersion{Group: "plots.example.com", Version: "v1"}

// CropAnnotation keeps the crop, which v1 does not have.
const CropAnnotation = "plots.example.com/crop"

type GardenSpec struct {
	// Size is the number of rows and columns, for example 3x4.
	Size string `json:"size"`
}

type GardenStatus struct {
	Plots int32 `json:"plots,omitempty"`
}

type Garden struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GardenSpec   `json:"spec"`
	Status            GardenStatus `json:"status,omitempty"`
}

type GardenList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Garden `json:"items"`
}

// ConvertTo fails for a size with no columns, which the schema lets pass.
func (in *Garden) ConvertTo(hub conversion.Hub) error {
	out := hub.(*v2.Garden)
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if _, err := fmt.Sscanf(in.Spec.Size, "%dx%d", &out.Spec.Rows, &out.Spec.Columns); err != nil {
		return fmt.Errorf("size %q: %w", in.Spec.Size, err)
	}
	out.Spec.Crop = in.Annotations[CropAnnotation]
	delete(out.Annotations, CropAnnotation)
	out.Status.Plots = in.Status.Plots
	return nil
}

func (in *Garden) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*v2.Garden)
	from.ObjectMeta.DeepCopyInto(&in.ObjectMeta)
	in.Spec.Size = fmt.Sprintf("%dx%d", from.Spec.Rows, from.Spec.Columns)
	if from.Spec.Crop != "" {
		metav1.SetMetaDataAnnotation(&in.ObjectMeta, CropAnnotation, from.Spec.Crop)
	}
	in.Status.Plots = from.Status.Plots
	return nil
}

func (in *Garden) DeepCopyObject() runtime.Object { return in.deepCopy() }

func (in *Garden) deepCopy() *Garden {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func (in *GardenList) DeepCopyObject() runtime.Object {
	out := *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = nil
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].deepCopy())
	}
	return &out
}

func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Garden{}, &GardenList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
