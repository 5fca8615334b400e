// Package v2 is the stored version of Garden, and the hub of its conversions.
package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var GroupVersion = schema.GroupVersion{Group: "plots.example.com", Version: "v2"}

type GardenSpec struct {
	Rows    int32  `json:"rows"`
	Columns int32  `json:"columns"`
	Crop    string `json:"crop,omitempty"`
}

type GardenStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Rows               int32              `json:"rows,omitempty"`
	Plots              int32              `json:"plots,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
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

func (*Garden) Hub() {}

func (in *Garden) DeepCopyObject() runtime.Object { return in.deepCopy() }

func (in *Garden) deepCopy() *Garden {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = append([]metav1.Condition(nil), in.Status.Conditions...)
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
